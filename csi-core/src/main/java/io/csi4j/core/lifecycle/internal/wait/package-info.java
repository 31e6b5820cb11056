/** The waits for rows of the state: one class watches a row, and learns of the calls for it. */
@NullMarked
package io.csi4j.core.lifecycle.internal.wait;

import org.jspecify.annotations.NullMarked;
