/** The last step of a build. */
@NullMarked
package io.csi4j.benchmarks.build;

import org.jspecify.annotations.NullMarked;
