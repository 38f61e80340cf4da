#include "rarefact/cli/command.hpp"

namespace rarefact {

namespace commands {
Command run(), info(), check(), list(), explain(), init();
}

const std::vector<Command>& command_list() {
  static const std::vector<Command> rows = {commands::init(),  commands::run(),  commands::info(),
                                            commands::check(), commands::list(), commands::explain()};
  return rows;
}

}  // namespace rarefact
