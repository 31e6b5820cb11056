/** The README's first example, compiled and run by a test. */
@NullMarked
package io.csi4j.examples.first;

import org.jspecify.annotations.NullMarked;
