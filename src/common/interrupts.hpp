// A place in a long loop where whoever waits for it may stop it.
#pragma once

#include <cstddef>

namespace bloomsketch {

// Called at least once for each megabyte of work. In the server (module.cpp) it is
// PostgreSQL's check, which may not return: nothing here has a destructor to run, and
// what was half done is thrown away with the transaction.
inline void (*check_for_interrupts)() = [] {};

// Work between two of them.
inline constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

}  // namespace bloomsketch
