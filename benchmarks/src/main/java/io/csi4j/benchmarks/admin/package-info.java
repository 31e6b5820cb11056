/** The administration over HTTP, compared with the Java API in the same run. */
@NullMarked
package io.csi4j.benchmarks.admin;

import org.jspecify.annotations.NullMarked;
