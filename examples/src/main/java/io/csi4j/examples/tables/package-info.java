/** A scheduler that keeps its state in tables beside those of csi4j, and changes both in one transaction. */
@NullMarked
package io.csi4j.examples.tables;

import org.jspecify.annotations.NullMarked;
