// The lines of a file under test/data, as words; tests run in the repository's
// root. Lines that start with # are comments.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomsketch::test {

inline std::vector<std::vector<std::string>> read_data(const std::string &name)
{
	std::vector<std::vector<std::string>> lines;
	std::ifstream file("test/data/" + name);
	EXPECT_TRUE(file.is_open()) << "test/data/" << name << ": run this in the repository's root";
	for (std::string line; std::getline(file, line);) {
		std::istringstream words(line);
		std::vector<std::string> split;
		for (std::string word; words >> word;)
			split.push_back(word);
		if (!split.empty() && split[0][0] != '#')
			lines.push_back(split);
	}
	return lines;
}

}  // namespace bloomsketch::test
