/** Runs steps that can always be undone, in reverse order: after the last step, after a failure, and after Ctrl-C. */
@NullMarked
package io.csi4j.examples.steps;

import org.jspecify.annotations.NullMarked;
