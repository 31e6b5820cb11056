/** The README's first example; a test compiles and runs it. */
@NullMarked
package io.csi4j.examples.first;

import org.jspecify.annotations.NullMarked;
