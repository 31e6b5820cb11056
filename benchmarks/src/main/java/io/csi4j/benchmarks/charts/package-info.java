/** Draws the charts of docs/performance.md from the saved output of the benchmarks. */
@NullMarked
package io.csi4j.benchmarks.charts;

import org.jspecify.annotations.NullMarked;
