#include "rarefact/cli/command.hpp"

namespace rarefact {

namespace commands {
Command run(), info(), check(), list(), explain(), init(), table();
}

const std::vector<Command>& command_list() {
  static const std::vector<Command> rows = {commands::init(),   commands::run(),   commands::info(),
                                            commands::table(),  commands::check(), commands::list(),
                                            commands::explain()};
  return rows;
}

}  // namespace rarefact
