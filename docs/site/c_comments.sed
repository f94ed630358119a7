# Plain comments of a C header as Doxygen's: beside a declaration, before one. Not the file's first, nor headings.
2,$ {
  s#^( *[^ /*].*[^ ] +)/\* #\1/**< #
  s#^( *)/\* ([^-N])#\1/** \2#
}
