#include "peers/peer.h"

namespace steno::bench {

Arguments arguments;

}  // namespace steno::bench
