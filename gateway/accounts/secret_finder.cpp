#include "gateway/accounts/secret_finder.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <cctype>

#include "gateway/accounts/spellings.hpp"

namespace gateway::accounts {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t places = 64;  // that are looked ahead at a time
static_assert(longest_spelling < places);

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned char code_of(char letter) { return static_cast<unsigned char>(letter); }

void add_either_case(letter_set& to, char letter) {
    to.set(static_cast<std::size_t>(std::tolower(code_of(letter))));
    to.set(static_cast<std::size_t>(std::toupper(code_of(letter))));
}

bool is_word_letter(char letter) { return std::isalnum(code_of(letter)) || letter == '_' || letter == '-'; }

}  // namespace

pattern pattern_of(std::string_view secret) {
    pattern made(secret.size());
    for (std::size_t at = 0; at < secret.size(); ++at) add_either_case(made[at], secret[at]);
    return made;
}

pattern hex_pattern_of(std::string_view secret) {
    pattern made;
    for (char each : secret)
        for (auto half : {code_of(each) >> 4, code_of(each) & 15})
            add_either_case(made.emplace_back(), "0123456789abcdef"[half]);
    return made;
}

pattern base64_pattern_of(std::string_view secret, std::size_t before) {
    constexpr std::size_t byte_bits = 8, digit_bits = 6;
    pattern made;
    auto first = before * byte_bits, end = first + secret.size() * byte_bits;
    for (auto digit = (first + digit_bits - 1) / digit_bits; digit * digit_bits < end; ++digit) {
        unsigned known = 0, value = 0;
        for (auto bit = digit * digit_bits; bit < (digit + 1) * digit_bits; ++bit) {
            bool is_known = bit < end;
            auto byte = is_known ? code_of(secret[bit / byte_bits - before]) : 0u;
            known = known << 1 | (is_known ? 1u : 0u);
            value = value << 1 | (byte >> (byte_bits - 1 - bit % byte_bits) & 1u);
        }
        auto& letters = made.emplace_back();
        for (unsigned code = 0; code < base64_digits.size(); ++code)
            if ((code & known) == value) letters.set(code_of(base64_digits[code]));
        if (letters.test('+')) letters.set('-');
        if (letters.test('/')) letters.set('_');
    }
    return made;
}

// For each place of the text that is looked at: which beginnings of the pattern end there, a bit each. A ring.
struct secret_finder::scan {
    const secret_finder& of;
    std::vector<std::uint64_t> bits;         // `words_` of them a place
    std::array<std::size_t, places> used{};  // of these; none behind them is set
    std::vector<std::uint64_t> moved;
    std::size_t moved_words = 0;
    std::size_t busy_until = 0;  // nothing is behind it

    explicit scan(const secret_finder& what) : of(what), bits(places * what.words_), moved(what.words_) {}
    std::uint64_t* at(std::size_t place) { return &bits[place % places * of.words_]; }
    std::size_t& used_at(std::size_t place) { return used[place % places]; }
    bool is_match(std::size_t place) {
        auto last = of.size_ - 1;
        return used_at(place) == of.words_ && (at(place)[last / word_bits] >> (last % word_bits) & 1) != 0;
    }
    void clear(std::size_t place) {
        std::fill_n(at(place), used_at(place), 0);
        used_at(place) = 0;
    }
    void clear_all() {
        for (std::size_t place = 0; place < places; ++place) clear(place);
    }
    // One letter more; a new beginning is made by the first of a spelling.
    void move_on(char letter, bool begins) {
        const auto& row = of.rows_[of.row_of_[code_of(letter)]];
        std::uint64_t carry = begins ? 1 : 0;
        auto most = std::min(moved_words + 1, of.words_);
        for (std::size_t word = 0; word < most; ++word) {
            auto now = word < moved_words ? moved[word] : 0;
            moved[word] = (now << 1 | carry) & row[word];
            carry = now >> (word_bits - 1);
        }
        moved_words = most;
        while (moved_words > 0 && moved[moved_words - 1] == 0) --moved_words;
    }
    void read(std::size_t place, const spelling& what) {
        auto bytes = what.bytes();
        bool goes_on = used_at(place) > 0 || (!bytes.empty() && of.accepts(0, bytes.front()));
        if (!goes_on) return;
        moved_words = used_at(place);
        std::copy_n(at(place), moved_words, moved.begin());
        for (std::size_t letter = 0; letter < bytes.size(); ++letter) move_on(bytes[letter], letter == 0);
        if (moved_words == 0) return;
        auto to = place + what.length;
        for (std::size_t word = 0; word < moved_words; ++word) at(to)[word] |= moved[word];
        used_at(to) = std::max(used_at(to), moved_words);
        busy_until = std::max(busy_until, to);
    }
    // The longest of the matches of which one ends at `place`: an escape that has its last letter twice is taken whole.
    std::size_t end_from(std::size_t place) {
        auto end = place;
        for (auto each = place; each < place + longest_spelling; ++each)
            if (is_match(each)) end = each;
        return end;
    }
};

secret_finder::secret_finder(const pattern& what, edges where)
    : size_(what.size()), words_((what.size() + word_bits - 1) / word_bits), edges_(where), rows_(1) {
    rows_.front().resize(words_);
    for (std::size_t letter = 0; letter < row_of_.size(); ++letter) {
        std::vector<std::uint64_t> row(words_);
        bool is_used = false;
        for (std::size_t at = 0; at < size_; ++at) {
            if (!what[at].test(letter)) continue;
            row[at / word_bits] |= std::uint64_t(1) << (at % word_bits);
            is_used = true;
        }
        may_begin_[letter] = what.front().test(letter) || introduces_spelling(static_cast<char>(letter));
        if (!is_used) continue;
        row_of_[letter] = static_cast<std::uint8_t>(rows_.size());
        rows_.push_back(std::move(row));
    }
}

secret_finder::~secret_finder() {
    for (auto& each : rows_) OPENSSL_cleanse(each.data(), each.size() * sizeof each.front());
}

bool secret_finder::accepts(std::size_t at, char letter) const {
    return (rows_[row_of_[code_of(letter)]][at / word_bits] >> (at % word_bits) & 1) != 0;
}

// Where the match that ends at `end` begins, the way back; not before `first`.
std::size_t secret_finder::start_of(std::string_view text, std::size_t end, std::size_t first) const {
    std::vector<std::vector<std::size_t>> reached(size_ + 1);  // by how many letters are left
    reached[size_].push_back(end);
    for (auto left = size_; left > 0; --left) {
        for (std::size_t index = 0; index < reached[left].size(); ++index) {
            auto to = reached[left][index];
            for (auto from = to; from > first && to - from < longest_spelling;) {
                --from;
                if (to - from > 1 && !introduces_spelling(text[from])) continue;
                spellings all(text, from);
                for (spelling each; all.next(each) && each.length <= to - from;) {
                    auto count = each.count;
                    if (each.length != to - from || count > left) continue;
                    bool fits = true;
                    for (std::size_t letter = 0; letter < count; ++letter)
                        fits = fits && accepts(left - count + letter, each.letters[letter]);
                    auto& into = reached[left - count];
                    if (fits && std::find(into.begin(), into.end(), from) == into.end()) into.push_back(from);
                }
            }
        }
    }
    auto& found = reached.front();
    return found.empty() ? end : *std::min_element(found.begin(), found.end());
}

bool secret_finder::is_whole(std::string_view text, std::size_t from, std::size_t end) const {
    if (edges_ == edges::any) return true;
    return (from == 0 || !is_word_letter(text[from - 1])) && (end == text.size() || !is_word_letter(text[end]));
}

void secret_finder::replace_in(std::string& text, std::string_view by) const {
    if (text.size() < size_) return;  // a letter's spelling is never shorter than the letter
    std::string made;
    std::size_t kept = 0;  // of the text is in `made`
    scan now(*this);
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (now.is_match(at)) {
            auto end = now.end_from(at);
            auto from = start_of(text, end, kept);
            if (is_whole(text, from, end)) {
                made.append(text, kept, from - kept).append(by);
                kept = at = end;
                now.clear_all();
            }
        }
        if (at == text.size()) break;
        if (at > now.busy_until && !may_begin_[code_of(text[at])]) continue;
        spellings all(text, at);
        for (spelling each; all.next(each);) now.read(at, each);
        now.clear(at);
    }
    if (kept > 0) text = made.append(text, kept);
}

}  // namespace gateway::accounts
