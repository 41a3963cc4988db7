#include "CHTTPShim.h"
typedef int placeholder;
