/* SPDX-License-Identifier: MIT */
/* consumer_cxx.cpp — a C++ program outside the tree that uses an installed skua */
#include <skua/skua.h>

#include <iostream>
#include <string>

int main()
{
	skua_machine machine{};

	machine.size = sizeof machine;
	if (skua_version() != SKUA_VERSION) {
		std::cerr << "headers and library differ\n";
		return 1;
	}
	if (int error = skua_machine_read(&machine, nullptr)) {
		std::cerr << "skua_machine_read: " << skua_strerror(error) << '\n';
		return 1;
	}
	std::cout << std::string("skua ") + skua_version_text() << ", " << machine.workers
		  << " workers\n";
	return machine.workers >= 1 ? 0 : 1;
}
