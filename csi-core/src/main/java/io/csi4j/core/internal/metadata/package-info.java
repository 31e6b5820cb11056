/**
 * Streams of snapshot metadata that resume after a failure (R101 to R103). For the client and the engine of csi4j; not
 * part of the API.
 */
@NullMarked
package io.csi4j.core.internal.metadata;

import org.jspecify.annotations.NullMarked;
