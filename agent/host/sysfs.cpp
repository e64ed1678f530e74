#include "agent/host/sysfs.h"
