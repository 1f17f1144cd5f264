// Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood
// 2014). The distributions of <random> differ between standard libraries.
#pragma once

#include <cstdint>

namespace bloomsketch::test {

class Random {
public:
	explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

	std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15); }

	// Even over 0..bound-1 up to bound / 2^64.
	std::uint64_t below(std::uint64_t bound) { return next() % bound; }

	// Even over the open interval 0..1, so that its logarithm is finite.
	double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

	static std::uint64_t mix(std::uint64_t z)
	{
		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
		z = (z ^ z >> 27) * 0x94D049BB133111EB;
		return z ^ z >> 31;
	}

private:
	std::uint64_t state_;
};

}  // namespace bloomsketch::test
