#include "agent/host/ethtool_messages.h"

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace rdmadiag::host {
namespace {

// Newer than the header this is built with.
constexpr std::uint16_t kLinkstateExtDownCount = 7;
constexpr std::uint16_t kPauseStatStormEvents = 4;

constexpr std::uint32_t kSpeedUnknown = 0xffffffff;
constexpr std::uint64_t kNotSet = ~std::uint64_t{0};
constexpr std::size_t kMaxLanes = 16;
constexpr std::size_t kMaxBitsetBytes = 64;

struct FecMode {
  unsigned bit;  // ETHTOOL_LINK_MODE_FEC_*_BIT
  const char* name;
};
constexpr std::array<FecMode, 4> kFecModes = {
    {{49, "off"}, {50, "RS"}, {51, "BaseR"}, {74, "LLRS"}}};

PayloadWriter header_with_flags(std::string_view netdev, std::uint32_t flags) {
  PayloadWriter header;
  header.text(ETHTOOL_A_HEADER_DEV_NAME, netdev);
  if (flags != 0) header.u32(ETHTOOL_A_HEADER_FLAGS, flags);
  return header;
}

std::optional<bool> boolean(const Attribute& a) {
  const auto value = a.u8();
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

std::optional<int> small_int(const Attribute& a) {
  const auto value = a.u8();
  return value ? std::optional<int>(*value) : std::nullopt;
}

std::string fec_name(unsigned bit) {
  for (const FecMode& mode : kFecModes)
    if (mode.bit == bit) return mode.name;
  return std::to_string(bit);
}

bool bit_set(Bytes words, unsigned bit) {
  return bit / 8 < words.size() &&
         (std::to_integer<unsigned>(words[bit / 8]) >> (bit % 8) & 1U) != 0;
}

// A compact bitset's value: 32-bit words, the same as bytes on the little-endian machines we run
// on.
bool decode_fec_modes(Bytes bitset, std::vector<std::string>& names) {
  return walk_attributes(bitset, [&](const Attribute& a) {
    if (a.type != ETHTOOL_A_BITSET_VALUE || a.payload.size() > kMaxBitsetBytes) return true;
    for (const FecMode& mode : kFecModes)
      if (bit_set(a.payload, mode.bit)) names.emplace_back(mode.name);
    return true;
  });
}

void add(std::vector<NamedCount>& counts, std::string_view name,
         std::optional<std::uint64_t> value) {
  if (value && *value != kNotSet) counts.push_back({name, *value});
}

// u64[]: the port's sum, then one for each lane; may be empty.
void take_fec_array(const Attribute& a, std::string_view name, std::vector<NamedCount>& counts,
                    std::vector<std::uint64_t>& lanes) {
  std::vector<std::uint64_t> values(
      std::min(a.payload.size() / sizeof(std::uint64_t), kMaxLanes + 1));
  if (values.empty()) return;
  std::memcpy(values.data(), a.payload.data(), values.size() * sizeof(std::uint64_t));
  add(counts, name, values.front());
  for (std::size_t i = 1; i < values.size() && values[i] != kNotSet; ++i)
    lanes.push_back(values[i]);
}

bool decode_fec_stats(Bytes nest, core::FecLaneCounts& lanes, std::vector<NamedCount>& counts) {
  return walk_attributes(nest, [&](const Attribute& a) {
    switch (a.type) {
      case ETHTOOL_A_FEC_STAT_CORRECTED:
        take_fec_array(a, "fec-corrected-blocks", counts, lanes.corrected_blocks);
        break;
      case ETHTOOL_A_FEC_STAT_UNCORR:
        take_fec_array(a, "fec-uncorrectable-blocks", counts, lanes.uncorrectable_blocks);
        break;
      case ETHTOOL_A_FEC_STAT_CORR_BITS:
        take_fec_array(a, "fec-corrected-bits", counts, lanes.corrected_bits);
        break;
    }
    return true;
  });
}

struct StandardStat {
  unsigned group;
  unsigned id;
  std::string_view name;
};
// The numbers of enum ethtool_stats and ETHTOOL_A_STATS_*; the words ethtool(8) prints.
constexpr std::array<StandardStat, 21> kStandardStats = {{
    {0, 0, "eth-phy-SymbolErrorDuringCarrier"},
    {1, 0, "eth-mac-FramesTransmittedOK"},
    {1, 3, "eth-mac-FramesReceivedOK"},
    {1, 4, "eth-mac-FrameCheckSequenceErrors"},
    {1, 5, "eth-mac-AlignmentErrors"},
    {1, 6, "eth-mac-OctetsTransmittedOK"},
    {1, 10, "eth-mac-FramesLostDueToIntMACXmitError"},
    {1, 12, "eth-mac-OctetsReceivedOK"},
    {1, 13, "eth-mac-FramesLostDueToIntMACRcvError"},
    {1, 14, "eth-mac-MulticastFramesXmittedOK"},
    {1, 17, "eth-mac-MulticastFramesReceivedOK"},
    {1, 19, "eth-mac-InRangeLengthErrors"},
    {1, 20, "eth-mac-OutOfRangeLengthField"},
    {1, 21, "eth-mac-FrameTooLongErrors"},
    {2, 0, "eth-ctrl-MACControlFramesTransmitted"},
    {2, 1, "eth-ctrl-MACControlFramesReceived"},
    {2, 2, "eth-ctrl-UnsupportedOpcodesReceived"},
    {3, 0, "rmon-etherStatsUndersizePkts"},
    {3, 1, "rmon-etherStatsOversizePkts"},
    {3, 2, "rmon-etherStatsFragments"},
    {3, 3, "rmon-etherStatsJabbers"},
}};

void add_standard(std::uint32_t group, const Attribute& stat, std::vector<NamedCount>& counts) {
  for (const StandardStat& known : kStandardStats)
    if (known.group == group && known.id == stat.type) add(counts, known.name, stat.number());
}

bool decode_stats_group(Bytes nest, std::vector<NamedCount>& counts) {
  std::optional<std::uint32_t> group;
  std::vector<Attribute> stats;
  const bool whole = walk_attributes(nest, [&](const Attribute& a) {
    if (a.type == ETHTOOL_A_STATS_GRP_ID) group = a.u32();
    if (a.type != ETHTOOL_A_STATS_GRP_STAT) return true;
    return walk_attributes(a.payload, [&](const Attribute& stat) {
      stats.push_back(stat);
      return true;
    });
  });
  if (group)
    for (const Attribute& stat : stats) add_standard(*group, stat, counts);
  return whole;
}

}  // namespace

PayloadWriter ethtool_request(std::string_view netdev) {
  return PayloadWriter().nest(1, header_with_flags(netdev, ETHTOOL_FLAG_COMPACT_BITSETS));
}

PayloadWriter ethtool_request_with_statistics(std::string_view netdev) {
  constexpr std::uint32_t kFlags = ETHTOOL_FLAG_COMPACT_BITSETS | ETHTOOL_FLAG_STATS;
  return PayloadWriter().nest(1, header_with_flags(netdev, kFlags));
}

PayloadWriter ethtool_stats_request(std::string_view netdev) {
  constexpr std::uint32_t kGroups = 0xf;
  const auto groups = PayloadWriter()
                          .u32(ETHTOOL_A_BITSET_SIZE, 4)
                          .u32(ETHTOOL_A_BITSET_VALUE, kGroups)
                          .u32(ETHTOOL_A_BITSET_MASK, kGroups);
  return PayloadWriter()
      .nest(ETHTOOL_A_STATS_HEADER, header_with_flags(netdev, ETHTOOL_FLAG_COMPACT_BITSETS))
      .nest(ETHTOOL_A_STATS_GROUPS, groups);
}

PayloadWriter module_eeprom_request(std::string_view netdev, const ModuleAddress& at) {
  return PayloadWriter()
      .nest(ETHTOOL_A_MODULE_EEPROM_HEADER, header_with_flags(netdev, 0))
      .u32(ETHTOOL_A_MODULE_EEPROM_OFFSET, at.offset)
      .u32(ETHTOOL_A_MODULE_EEPROM_LENGTH, at.length)
      .u8(ETHTOOL_A_MODULE_EEPROM_PAGE, at.page)
      .u8(ETHTOOL_A_MODULE_EEPROM_BANK, at.bank)
      .u8(ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, at.i2c);
}

core::Status decode_linkmodes(Bytes attributes, core::LinkDetail& link) {
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    switch (a.type) {
      case ETHTOOL_A_LINKMODES_AUTONEG: link.autonegotiation = boolean(a); break;
      case ETHTOOL_A_LINKMODES_SPEED:
        if (const auto mbits = a.u32(); mbits && *mbits != kSpeedUnknown && *mbits != 0)
          link.speed_bits_per_second = std::uint64_t{*mbits} * 1'000'000;
        break;
      case ETHTOOL_A_LINKMODES_DUPLEX:
        if (const auto duplex = a.u8(); duplex && *duplex <= DUPLEX_FULL)
          link.full_duplex = *duplex == DUPLEX_FULL;
        break;
      case ETHTOOL_A_LINKMODES_LANES:
        if (const auto lanes = a.u32(); lanes && *lanes > 0 && *lanes <= kMaxLanes)
          link.lanes = static_cast<int>(*lanes);
        break;
    }
    return true;
  });
  if (!whole) return core::fail("LINKMODES_GET: malformed netlink reply");
  return {};
}

core::Status decode_linkstate(Bytes attributes, core::LinkDetail& link,
                              std::vector<NamedCount>& counts) {
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    switch (a.type) {
      case ETHTOOL_A_LINKSTATE_LINK: link.up = boolean(a); break;
      case ETHTOOL_A_LINKSTATE_EXT_STATE: link.extended_state = small_int(a); break;
      case ETHTOOL_A_LINKSTATE_EXT_SUBSTATE: link.extended_substate = small_int(a); break;
      case kLinkstateExtDownCount: add(counts, "link-ext-down-count", a.number()); break;
    }
    return true;
  });
  if (!whole) return core::fail("LINKSTATE_GET: malformed netlink reply");
  return {};
}

core::Result<core::PauseSettings> decode_pause(Bytes attributes, std::vector<NamedCount>& counts) {
  core::PauseSettings pause;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    switch (a.type) {
      case ETHTOOL_A_PAUSE_AUTONEG: pause.autonegotiation = boolean(a); break;
      case ETHTOOL_A_PAUSE_RX: pause.receive = boolean(a); break;
      case ETHTOOL_A_PAUSE_TX: pause.transmit = boolean(a); break;
      case ETHTOOL_A_PAUSE_STATS:
        return walk_attributes(a.payload, [&](const Attribute& stat) {
          switch (stat.type) {
            case ETHTOOL_A_PAUSE_STAT_TX_FRAMES:
              add(counts, "pause-tx-frames", stat.number());
              break;
            case ETHTOOL_A_PAUSE_STAT_RX_FRAMES:
              add(counts, "pause-rx-frames", stat.number());
              break;
            case kPauseStatStormEvents: add(counts, "pause-storm-events", stat.number()); break;
          }
          return true;
        });
    }
    return true;
  });
  if (!whole) return core::fail("PAUSE_GET: malformed netlink reply");
  return pause;
}

core::Result<core::FecSettings> decode_fec(Bytes attributes, std::vector<NamedCount>& counts) {
  core::FecSettings fec;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    switch (a.type) {
      case ETHTOOL_A_FEC_MODES: return decode_fec_modes(a.payload, fec.configured);
      case ETHTOOL_A_FEC_AUTO: fec.automatic = boolean(a); break;
      case ETHTOOL_A_FEC_ACTIVE:
        if (const auto bit = a.u32()) fec.active = fec_name(*bit);
        break;
      case ETHTOOL_A_FEC_STATS: return decode_fec_stats(a.payload, fec.lanes, counts);
    }
    return true;
  });
  if (!whole) return core::fail("FEC_GET: malformed netlink reply");
  return fec;
}

core::Status decode_standard_stats(Bytes attributes, std::vector<NamedCount>& counts) {
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    return a.type != ETHTOOL_A_STATS_GRP || decode_stats_group(a.payload, counts);
  });
  if (!whole) return core::fail("STATS_GET: malformed netlink reply");
  return {};
}

core::Result<std::vector<std::uint8_t>> decode_module_eeprom(Bytes attributes, std::size_t length) {
  std::vector<std::uint8_t> bytes;
  const bool whole = walk_attributes(attributes, [&](const Attribute& a) {
    if (a.type != ETHTOOL_A_MODULE_EEPROM_DATA) return true;
    std::transform(a.payload.begin(), a.payload.end(), std::back_inserter(bytes),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    return true;
  });
  if (!whole) return core::fail("MODULE_EEPROM_GET: malformed netlink reply");
  if (bytes.size() < length) return core::fail("MODULE_EEPROM_GET: fewer bytes than asked for");
  bytes.resize(length);
  return bytes;
}

}  // namespace rdmadiag::host
