/**
 * Checks of texts that are stored or shown. For the modules of csi4j; not part of the API.
 */
@NullMarked
package io.csi4j.core.internal.text;

import org.jspecify.annotations.NullMarked;
