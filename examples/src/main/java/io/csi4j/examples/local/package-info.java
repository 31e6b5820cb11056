/** The smallest complete program: engine, node and plugin on one machine. */
@NullMarked
package io.csi4j.examples.local;

import org.jspecify.annotations.NullMarked;
