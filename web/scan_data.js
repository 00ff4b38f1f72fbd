/* scan_data.js — the scan of the page: names, sizes, paths, kinds, what a search means */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const up = data.parent,
  sorts = data.kind; /* sorts: 0 a directory, 1 a file, 2 the smaller ones */
const sums = { disk: data.disk, bytes: data.bytes, files: data.files };
const count = up.length;

/* Where the reader is and what is wanted; a node is an index into the columns of data. */
const now = { here: 0, by: "disk", view: "map", words: "", kind: -1, chosen: -1, isOpen: false };

/* What would move, hide or turn round the text beside it becomes a picture or a number. */
function clean(text) {
  return text
    .replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(
      /[\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      c => "\u27e8U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9",
    );
}
const number = value => value.toLocaleString("en");
const names = data.names.map((name, node) =>
  sorts[node] === 2 ? number(parseInt(name, 10)) + " smaller" : clean(name),
);
const small = names.map(name => name.toLowerCase());

const value = node => sums[now.by][node];
const isDir = node => sorts[node] === 0;
const isFile = node => sorts[node] === 1;
const shortName = node =>
  names[node].replace(/\/+$/, "").split("/").pop() || names[node]; /* of an operand */

function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = 0;
  while (value >= 1024 && i < 6) {
    value /= 1024;
    i++;
  }
  return (i && value < 99.95 ? value.toFixed(1) : Math.round(value)) + " " + units[i];
}
const size = value =>
  now.by === "files" ? number(value) + (value === 1 ? " file" : " files") : bytes(value);
function share(node) {
  const whole = value(now.here),
    part = whole ? (100 * value(node)) / whole : 0;
  return part > 0 && part < 0.1 ? "< 0.1 %" : part.toFixed(1) + " %";
}

/* --- the tree --- */

const children = Array.from({ length: count }, () => []);
for (let node = 1; node < count; node++) children[up[node]].push(node);

/* What is in a directory, the largest first; the sum of the smaller ones last. */
const ordered = { disk: [], bytes: [], files: [] };
function inside(node) {
  const known = ordered[now.by];
  if (!known[node])
    known[node] = children[node]
      .slice()
      .sort(
        (a, b) =>
          (sorts[a] === 2) - (sorts[b] === 2) ||
          value(b) - value(a) ||
          (small[a] < small[b] ? -1 : 1),
      );
  return known[node];
}
function wayTo(node) {
  const way = [0];
  for (; node > 0; node = up[node]) way.push(node);
  return [0, ...way.slice(1).reverse()];
}
/* As the command would print it; with several operands each is a way of its own. */
function pathOf(node, all = names) {
  const way = wayTo(node);
  const parts = (data.is_several && node ? way.slice(1) : way).map(n => all[n]);
  return parts.map((part, i) => (i < parts.length - 1 ? part.replace(/\/+$/, "") : part)).join("/");
}

/* --- kinds of files, by the end of their names --- */

const KINDS = [
  [
    "Code",
    "c h cc cpp cxx hh hpp hxx m mm py pyx pyi js mjs cjs ts tsx jsx rs go java kt scala rb " +
      "pl pm t php lua el lisp scm hs ml mli erl ex exs jl r f f90 f95 for cs vb swift d zig " +
      "nim s asm sh bash zsh fish awk sed tcl vim cmake mk am ac m4 in y l css scss less vue " +
      "sql proto v sv vhd vhdl glsl cl cu pas ads adb cob tex sty cls",
  ],
  [
    "Documents",
    "txt md rst adoc org pdf ps eps djvu epub doc docx odt ott rtf xls xlsx ods ppt pptx odp " +
      "html htm xhtml xml xsd xsl dtd yaml yml toml ini conf cfg info texi man po pot desktop " +
      "license",
  ],
  [
    "Pictures, fonts",
    "png jpg jpeg svg gif webp avif heic bmp tif tiff ico xpm xbm ppm pgm pnm psd xcf raw cr2 " +
      "nef dng ttf otf woff woff2 pfb pcf afm",
  ],
  [
    "Sound, film",
    "mp3 ogg oga opus flac wav aac m4a wma mid mp4 mkv webm avi mov mpg mpeg m4v wmv flv vob",
  ],
  [
    "Archives",
    "gz xz zst bz2 lz lz4 lzma z zip tar tgz txz tbz 7z rar deb rpm jar war whl egg gem crate " +
      "apk iso img qcow2 vmdk vdi dmg cab cpio squashfs snap",
  ],
  [
    "Programs",
    "so a o lo la ko exe dll dylib bin elf pyc pyo class dex beam rlib rmeta wasm efi sys obj " +
      "lib pdb debug gch hi elc mod bc",
  ],
  [
    "Data",
    "json ndjson csv tsv parquet arrow avro db sqlite sqlite3 mdb ldb sst dat data log " +
      "journal pack idx cache mo npy npz h5 hdf5 mat rds pkl pt safetensors gguf onnx geojson " +
      "shp pcap trace dump core bak tmp swp",
  ],
  ["Other", ""],
];
const OTHER = KINDS.length - 1;
const kindOfEnding = new Map(
  KINDS.flatMap(([, words], kind) => words.split(" ").map(word => [word, kind])),
);
const kindOf = ending => kindOfEnding.get(ending) ?? OTHER;

/* What follows the last dot, as `skua scan --extensions` has it; a library's version is none. */
function endingOf(name) {
  const dot = name.lastIndexOf(".");
  if (dot <= 0) return "";
  return /\.so(\.\d+)+$/.test(name) ? "so" : name.slice(dot + 1);
}
const kinds = Uint8Array.from(small, (name, node) =>
  isFile(node) ? kindOf(endingOf(name)) : OTHER,
);

/* How much of each kind is in each directory; the last column is what is too small to tell. */
const WIDE = KINDS.length + 1,
  byKind = {};
function kindSums(node) {
  if (!byKind[now.by]) {
    const all = (byKind[now.by] = new Float64Array(count * WIDE));
    for (let n = count - 1; n >= 0; n--) {
      if (!isDir(n)) all[n * WIDE + (isFile(n) ? kinds[n] : WIDE - 1)] += value(n);
      for (let k = 0; n && k < WIDE; k++) all[up[n] * WIDE + k] += all[n * WIDE + k];
    }
  }
  return byKind[now.by].subarray(node * WIDE, (node + 1) * WIDE);
}
/* What a directory mostly holds. */
function mainKind(node) {
  const of = kindSums(node);
  let best = OTHER;
  for (let k = 0; k < KINDS.length; k++) if (of[k] > of[best]) best = k;
  return best;
}

/* --- search --- */

/* With * or ? the whole name must fit, else a part of it is enough. */
let isWord = null;
function setWords(text) {
  now.words = text;
  const word = text.trim().toLowerCase();
  if (!word) {
    isWord = null;
    return;
  }
  if (!/[*?]/.test(word)) {
    isWord = name => name.includes(word);
    return;
  }
  const pattern = word
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  const whole = new RegExp("^" + pattern + "$", "su");
  isWord = name => whole.test(name);
}
/* Is it what was searched for, or of the kind that was chosen? */
const isMarked = node =>
  sorts[node] !== 2 &&
  (isWord ? isWord(small[node]) : now.kind >= 0 && isFile(node) && kinds[node] === now.kind);
const isMarking = () => isWord !== null || now.kind >= 0;
