/** Writes the project's pages as a site: static pages with a search, beside the Javadoc of all modules. */
@NullMarked
package io.csi4j.benchmarks.site;

import org.jspecify.annotations.NullMarked;
