/**
 * A walk through a volume's life that can always turn back: what was done is undone in reverse order,
 * whether the walk ended, a step failed or the user pressed Ctrl-C.
 */
@NullMarked
package io.csi4j.examples.walk;

import org.jspecify.annotations.NullMarked;
