/** Log lines for operators that do not repeat too often, for all modules of csi4j. Not part of the API. */
@NullMarked
package io.csi4j.core.internal.log;

import org.jspecify.annotations.NullMarked;
