#include "cli/command.hpp"

namespace rarefact {

namespace commands {
Command run(), merge(), status(), info(), check(), list(), explain(), init(), table(), verify(), report();
}

const std::vector<Command>& command_list() {
  static const std::vector<Command> rows = {commands::init(),   commands::run(),    commands::merge(),
                                            commands::status(), commands::info(),   commands::table(),
                                            commands::report(), commands::verify(), commands::check(),
                                            commands::list(),   commands::explain()};
  return rows;
}

}  // namespace rarefact
