// Input: the body of a search provider's answer.
#include <cstddef>
#include <cstdint>

#include "gateway/tools/markup.hpp"
#include "gateway/tools/search_provider.hpp"
#include "tests/fuzz/require.hpp"

using namespace gateway::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t most = 3;
    std::string_view input(reinterpret_cast<const char*>(data), size);
    for (auto which :
         {search_provider::searxng, search_provider::brave, search_provider::tavily, search_provider::exa}) {
        auto found = read_search_answer(which, input, most);
        require(!found || found->pages.size() <= most);
        if (found && !found->pages.empty()) require(!found->text().empty());
        search_question what{which, "http://a.example", "key", std::string(input)};
        auto request = make_search_request(what);
        require(!request || request->to.target.find_first_of(" \r\n") == std::string::npos);
    }
    require(plain_text(input).size() <= size);
    return 0;
}
