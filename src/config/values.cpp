// Values of keys in words: what is accepted, what is set, what is the default.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <limits>

#include "config/keys.hpp"

namespace nfold::config {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// Powers of ten from a million on as the input may write them: 1e15.
std::string count_text(std::uint64_t count) {
  constexpr std::uint64_t million = 1'000'000;
  int exponent = 0;
  std::uint64_t rest = count;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++exponent;
  return count >= million && rest == 1 ? fmt::format("1e{}", exponent) : fmt::format("{}", count);
}

struct Accepted {
  std::string operator()(const RealValue& value) const {
    return fmt::format("a number {} {} and <= {}", value.above ? ">" : ">=", value.at_least,
                       value.at_most);
  }
  std::string operator()(const IntegerValue& value) const {
    if (value.at_most == std::numeric_limits<std::uint64_t>::max()) {
      return "a whole number from 0 to 2^64 - 1";
    }
    return fmt::format("a whole number from {} to {}", value.at_least, count_text(value.at_most));
  }
  std::string operator()(const TextValue&) const { return "a text"; }
  std::string operator()(const TextListValue&) const { return "a list of texts"; }
  std::string operator()(const FlagValue&) const { return "true or false"; }
  std::string operator()(const ChoiceValue& value) const {
    if (value.names.size() == 1) return std::string(value.names.front());
    return fmt::format("one of {}", fmt::join(value.names, ", "));
  }
};

struct Written {
  const Settings& settings;
  std::string operator()(const RealValue& value) const {
    return fmt::format("{}", value.get(settings));
  }
  std::string operator()(const IntegerValue& value) const {
    return fmt::format("{}", value.get(settings));
  }
  std::string operator()(const TextValue& value) const { return quoted(value.get(settings)); }
  std::string operator()(const TextListValue& value) const {
    std::vector<std::string> texts;
    for (const auto& text : value.get(settings)) texts.push_back(quoted(text));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const FlagValue& value) const {
    return value.get(settings) ? "true" : "false";
  }
  std::string operator()(const ChoiceValue& value) const {
    return std::string(value.names[value.get(settings)]);
  }
};

}  // namespace

std::string accepted_text(const Key& key) {
  std::string text = std::visit(Accepted{}, key.value);
  if (!key.unit.empty()) text += fmt::format(" [{}]", key.unit);
  return text;
}

std::string value_text(const Key& key, const Settings& settings) {
  return std::visit(Written{settings}, key.value);
}

std::string default_text(const Key& key) {
  if (key.required) return "required";
  if (!key.default_text.empty()) return std::string(key.default_text);
  return value_text(key, Settings{});
}

}  // namespace nfold::config
