// ethtool, DCB, link and devlink decoders over arbitrary bytes.
#include <cstddef>
#include <cstdint>
#include <span>

#include "agent/host/dcb_messages.h"
#include "agent/host/devlink_messages.h"
#include "agent/host/ethtool_messages.h"
#include "agent/host/generic_netlink.h"
#include "agent/host/link_messages.h"

using namespace rdmadiag;
using namespace rdmadiag::host;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  core::LinkDetail link;
  std::vector<NamedCount> counts;
  (void)decode_linkmodes(bytes, link);
  (void)decode_linkstate(bytes, link, counts);
  (void)decode_pause(bytes, counts);
  (void)decode_fec(bytes, counts);
  (void)decode_standard_stats(bytes, counts);
  (void)decode_module_eeprom(bytes, 128);

  if (auto dcb = decode_dcb_ieee(bytes)) learn_trust("mlx5_core", dcb->dcb);
  (void)decode_dcb_mode(bytes);

  (void)decode_link(bytes);

  (void)decode_generic(bytes);
  (void)decode_family(bytes);
  (void)decode_health_reporter(bytes);
  (void)decode_devlink_info(bytes);
  DiagnosisReader reader;
  (void)reader.feed(bytes);
  (void)reader.feed(bytes);
  (void)reader.take();
  return 0;
}
