/** A real PostgreSQL as processes of a test, an example or a benchmark. */
@NullMarked
package io.csi4j.postgres;

import org.jspecify.annotations.NullMarked;
