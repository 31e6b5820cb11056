/**
 * The limits that CSI sets to the fields of requests (R16 to R25, R53), for the checks of requests and of
 * specifications. Not part of the API.
 */
@NullMarked
package io.csi4j.core.internal.check;

import org.jspecify.annotations.NullMarked;
