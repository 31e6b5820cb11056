/** Claims: the queue of waiting requests, grants, and releases. */
@NullMarked
package io.csi4j.core.lifecycle.internal.claim;

import org.jspecify.annotations.NullMarked;
