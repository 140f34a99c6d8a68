#include "peers/peer.h"

namespace steno::bench {

std::vector<std::unique_ptr<Peer>> make_peers() {
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(make_steno());
#ifdef STENO_PEER_SPDLOG
  peers.push_back(make_spdlog_sync());
  peers.push_back(make_spdlog_async());
#endif
#ifdef STENO_PEER_GLOG
  peers.push_back(make_glog());
#endif
#ifdef STENO_PEER_BOOST_LOG
  peers.push_back(make_boost_log());
#endif
  return peers;
}

}  // namespace steno::bench
