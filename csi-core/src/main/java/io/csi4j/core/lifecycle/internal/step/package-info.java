/** The planned calls of a volume: what each one sends, when it may be sent, and what its end means for the state. */
@NullMarked
package io.csi4j.core.lifecycle.internal.step;

import org.jspecify.annotations.NullMarked;
