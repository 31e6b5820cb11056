/** The lists of volumes, with what the engine knows of each. */
@NullMarked
package io.csi4j.core.lifecycle.internal.list;

import org.jspecify.annotations.NullMarked;
