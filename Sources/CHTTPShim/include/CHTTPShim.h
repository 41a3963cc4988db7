#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H
#endif
