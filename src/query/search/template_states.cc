// An automaton over columns of template strings (file.md §9.6): the texts of a template lead all its strings alike; of
// its words it is asked first, column by column, where they may lead at all, and only where that does not tell, where
// each of them leads.
#include <algorithm>
#include <array>
#include <vector>

#include "format/strings/templates/read.h"
#include "query/search/string_column.h"
#include "query/search/string_states.h"

namespace steno::query {

using format::TemplateColumn;

namespace {

using State = Automaton::State;

std::size_t common_prefix(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

// Facts about something, by the state in which it begins.
template <class T>
class ByState {
 public:
  // nullptr: nothing yet.
  const T* find(State state) const { return numbers_[state] != 0 ? &all_[numbers_[state] - 1u] : nullptr; }
  T& add(State state, T value) {
    all_.push_back(std::move(value));
    numbers_[state] = static_cast<std::uint8_t>(all_.size());
    return all_.back();
  }

 private:
  std::array<std::uint8_t, 256> numbers_{};
  std::vector<T> all_;
};

// The state that each of some states leads to; entries of others mean nothing.
using StateMap = std::array<State, 256>;
constexpr State kSeveral = 255;  // in place of a state: it may be one of several
static_assert(kSeveral >= Automaton::kMostStates);

// A word of a template that leads where the column's table says.
struct Step {
  std::size_t word;  // of the template
  StateMap after;    // from the state in the table over what follows, up to the next step
};

constexpr std::size_t kMostTemplateSteps = std::size_t{1} << 14;  // of all templates: 4 MiB

}  // namespace

// The strings of one column, all of which begin in one state.
class StringStates::TemplateRun {
 public:
  // `within`: what is around its words.
  TemplateRun(StringStates& owner, const TemplateColumn& column, unsigned within, const Suffix& suffix)
      : owner_(owner),
        automaton_(owner.automaton_),
        column_(column),
        within_(within | format::kPieces),
        suffix_(suffix),
        words_(column.words().size()),
        ends_(column.templates()),
        steps_(column.templates()) {
    for (std::size_t t = 0; t < column.templates(); ++t) {
      const auto places = column.places_of(t);
      for (std::size_t w = 0; w < places.size(); ++w) {
        Words& words = words_[places[w]];
        const std::string_view text = column.texts_of(t)[w + 1];
        words.after = words.used ? text.substr(0, common_prefix(text, words.after)) : text;
        words.used = true;
      }
    }
  }

  // Follows all templates. False: damaged, or too many of their words lead somewhere.
  [[nodiscard]] bool follow(State begin) {
    begin_ = begin;
    for (std::size_t t = 0; t < column_.templates(); ++t) {
      if (column_.lines()[t + 1] != 0 && !follow(t)) return false;
    }
    return good_;
  }

  // The states in which strings with a template may end, if that is known without looking at each; else none.
  StateSet all_ends() const {
    StateSet ends;
    for (std::size_t t = 0; t < steps_.size(); ++t) {
      if (column_.lines()[t + 1] == 0) continue;
      if (!steps_[t].empty()) return StateSet();
      ends.add(ends_[t]);
    }
    return ends;
  }

  // The states of the strings one after the other; those without a template from `others`.
  class Rows {
   public:
    Rows(const TemplateRun& run, const RowStates& others) : run_(run), others_(others), next_(run.words_.size()) {
      for (std::size_t t = 0; t < run.steps_.size(); ++t) {
        first_.push_back(counted_.size());
        const auto places = run.column_.places_of(t);
        const Step* step = run.steps_[t].data();
        const Step* const end = step + run.steps_[t].size();
        for (std::size_t w = 0; w < places.size(); ++w) {
          if (!run.words_[places[w]].counted) continue;
          const bool leads = step != end && step->word == w;
          counted_.push_back({static_cast<std::uint32_t>(places[w]), leads});
          step += leads ? 1 : 0;
        }
      }
      first_.push_back(counted_.size());
    }
    State next(std::uint64_t index) {
      if (index == 0) return others_.at(other_++);
      const std::size_t t = index - 1;
      State state = run_.ends_[t];
      const Step* step = run_.steps_[t].data();
      const Place* const end = counted_.data() + first_[index];
      for (const Place* place = counted_.data() + first_[t]; place != end; ++place) {
        const std::size_t at = next_[place->column]++;
        if (!place->leads) continue;
        if (!Automaton::is_decided(state)) state = run_.words_[place->column].tables.find(state)->at(at);
        state = (step++)->after[state];
      }
      return state;
    }

   private:
    const TemplateRun& run_;
    const RowStates& others_;
    std::size_t other_ = 0;
    struct Place {
      std::uint32_t column;
      bool leads;  // a step goes by it
    };
    std::vector<std::size_t> next_;   // word of each column
    std::vector<std::size_t> first_;  // place of each template and after the last
    std::vector<Place> counted_;      // words in columns that are counted
  };

 private:
  struct Words {
    std::string_view after;  // what follows the words of the column everywhere
    bool used = false;
    bool counted = false;                  // a step has its tables
    ByState<StateSet> outcomes;            // where they may lead, over `after`
    std::array<std::uint8_t, 256> only{};  // the same, + 1, if it is one state; 0: not looked at yet
    ByState<RowStates> tables;             // where each leads, over `after`
  };

  // Mostly the first byte of a text leads all states that are not decided to one.
  StateSet run_all(const StateSet& states, std::string_view text) const {
    StateSet decided;
    StateSet open;
    states.each([&](State state) { (Automaton::is_decided(state) ? decided : open).add(state); });
    for (; !text.empty() && !open.empty(); text.remove_prefix(1)) {
      StateSet next;
      if (open.single()) {
        decided.add(automaton_.run(open.first(), text));
        return decided;
      }
      open.each([&](State state) {
        const State after = automaton_.step(state, static_cast<std::uint8_t>(text[0]));
        (Automaton::is_decided(after) ? decided : next).add(after);
      });
      open = next;
    }
    decided |= open;
    return decided;
  }

  // Where the words of a column and what follows them everywhere may lead. If something may be found there, each word
  // is looked at: then it is known for all templates.
  const StateSet& outcomes_of(std::size_t c, State state) {
    Words& words = words_[c];
    if (const StateSet* known = words.outcomes.find(state)) return *known;
    StateSet ends = owner_.part_outcomes(state, column_.words()[c], column_.counts()[c], within_, owner_.by_claims_);
    ends = run_all(ends, words.after);
    if (ends.has(Automaton::kFound) && !ends.single()) {
      const RowStates* table = table_of(c, state);
      good_ = good_ && table != nullptr;
      if (table != nullptr) ends = table->present();
    }
    return words.outcomes.add(state, ends);
  }

  // nullptr: damaged.
  const RowStates* table_of(std::size_t c, State state) {
    Words& words = words_[c];
    if (const RowStates* known = words.tables.find(state)) return known;
    RowStates& table = words.tables.add(state, RowStates(column_.counts()[c], state));
    if (const StateSet* ends = words.outcomes.find(state); ends != nullptr && ends->single()) {
      table.set_all(ends->first());
      return &table;
    }
    // The column's claims have been asked already.
    ByteReader in = reader_of(column_.words()[c]);
    return owner_.run_column(in, within_, words.after, &table) && in.at_end() ? &table : nullptr;
  }

  // The text after a word, without what follows all words of its column.
  std::string_view rest_after(std::size_t t, std::size_t w) const {
    return column_.texts_of(t)[w + 1].substr(words_[column_.places_of(t)[w]].after.size());
  }

  // Where a word and the text after it lead, if to one state, whatever the word is; else kSeveral.
  State only_after(std::size_t t, std::size_t w, State state) {
    if (Automaton::is_decided(state)) return state;
    const std::size_t c = column_.places_of(t)[w];
    std::uint8_t& only = words_[c].only[state];
    if (only == 0) {
      const StateSet& ends = outcomes_of(c, state);
      only = static_cast<std::uint8_t>(ends.single() ? ends.first() + 1 : kSeveral);
    }
    return only == kSeveral ? kSeveral : automaton_.run(static_cast<State>(only - 1), rest_after(t, w));
  }

  // The states after a word that begins in one of some states, and the text after it, by what the column may lead to.
  StateSet over_word(std::size_t t, std::size_t w, const StateSet& before) {
    StateSet after;
    before.each([&](State state) {
      if (Automaton::is_decided(state)) return after.add(state);
      after |= run_all(outcomes_of(column_.places_of(t)[w], state), rest_after(t, w));
    });
    return after;
  }

  bool follow(std::size_t t) {
    const std::size_t words = column_.places_of(t).size();
    State first = automaton_.run(begin_, column_.texts_of(t)[0]);
    std::size_t leads = 0;  // the first word that may lead to several states
    for (; leads < words; ++leads) {
      const State after = only_after(t, leads, first);
      if (after == kSeveral) break;
      first = after;
    }
    StateSet states(first);
    for (std::size_t w = leads; w < words; ++w) states = over_word(t, w, states);
    StateSet ends;
    states.each([&](State state) { ends.add(suffix_.after(automaton_, state)); });
    if (ends.single()) {
      ends_[t] = ends.first();
      return true;
    }
    return make_steps(t, leads, first);
  }

  // From a word on, which begins in one state.
  bool make_steps(std::size_t t, std::size_t from, State first) {
    const auto places = column_.places_of(t);
    std::vector<Step>& steps = steps_[t];
    StateSet last;  // the states that the last step's `after` is for
    StateSet states(first);
    StateMap to;
    for (std::size_t w = from; w < places.size(); ++w) {
      StateSet after;
      bool flat = true;
      states.each([&](State state) {
        to[state] = only_after(t, w, state);
        if (to[state] != kSeveral) return after.add(to[state]);
        const StateSet ends = over_word(t, w, StateSet(state));
        flat = flat && ends.single();
        to[state] = ends.first();
        after |= ends;
      });
      StateSet tables;
      if (!flat && !over_tables(t, w, states, &to, &tables, &after)) return false;
      states = after;
      if (!tables.empty()) {  // the words lead somewhere
        words_[places[w]].counted = true;
        Step& step = steps.emplace_back();
        step.word = w;
        tables.each([&](State state) { step.after[state] = to[state]; });
        last = tables;
      } else if (steps.empty()) {
        first = to[first];
      } else {
        last.each([&](State state) { steps.back().after[state] = to[steps.back().after[state]]; });
      }
    }
    const auto over_suffix = [this](State state) { return suffix_.after(automaton_, state); };
    if (steps.empty()) {
      ends_[t] = over_suffix(first);
      return true;
    }
    last.each([&](State state) { steps.back().after[state] = over_suffix(steps.back().after[state]); });
    ends_[t] = first;
    all_steps_ += steps.size();
    return all_steps_ <= kMostTemplateSteps;
  }

  // By the tables of a word that begins in one of `states`. If even by these each state leads to one, *to is from the
  // states before the word, and *tables stays empty; else it is from those in the tables.
  bool over_tables(std::size_t t, std::size_t w, const StateSet& states, StateMap* to, StateSet* tables,
                   StateSet* after) {
    const std::string_view rest = rest_after(t, w);
    StateMap flat;
    bool is_flat = true;
    bool good = true;
    *after = {};
    states.each([&](State state) {
      if (Automaton::is_decided(state)) {
        tables->add(state);
        after->add(flat[state] = (*to)[state] = state);
        return;
      }
      const RowStates* table = good ? table_of(column_.places_of(t)[w], state) : nullptr;
      good = table != nullptr;
      if (!good) return;
      StateSet ends;
      table->present().each([&](State s) {
        tables->add(s);
        ends.add((*to)[s] = automaton_.run(s, rest));
      });
      is_flat = is_flat && ends.single();
      flat[state] = ends.first();
      *after |= ends;
    });
    if (!good || !is_flat) return good;
    *tables = {};
    *to = flat;
    return true;
  }

  StringStates& owner_;
  const Automaton& automaton_;
  const TemplateColumn& column_;
  const unsigned within_;
  const Suffix& suffix_;
  State begin_ = Automaton::kLost;
  bool good_ = true;
  std::size_t all_steps_ = 0;
  std::vector<Words> words_;
  std::vector<State> ends_;               // of each template; if it has steps, the state before the first
  std::vector<std::vector<Step>> steps_;  // of each template whose strings do not all end alike
};

// False: damaged, or too much to follow; nothing is done then.
bool StringStates::run_templates(const format::OpenedColumn& opened, ByteReader& in, const Suffix& suffix,
                                 RowStates* states) {
  TemplateColumn column;
  const std::size_t n = states->rows();
  if (!column.read(in, n, {opened.within, shared_})) return false;
  longest_ = std::max(longest_, column.longest());
  const State begin = states->at(0);
  TemplateRun run(*this, column, opened.inside(), suffix);
  RowStates others(column.lines()[0], begin);
  if (!run.follow(begin) || !run_part(column.others(), opened.inside(), suffix, &others)) return false;
  StateSet ends = run.all_ends();
  const bool all_known = !ends.empty() || others.rows() == n;
  if (others.rows() != 0) ends |= others.present();
  if (all_known && ends.single()) {
    states->set_all(ends.first());
    return true;
  }
  if (!column.read_indices()) return false;
  TemplateRun::Rows rows(run, others);
  const std::uint64_t* index = column.indices().data();
  states->advance([&](std::size_t i, State) { return rows.next(index[i]); });
  return true;
}

}  // namespace steno::query
