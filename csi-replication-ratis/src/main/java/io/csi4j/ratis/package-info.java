/** The command log on Apache Ratis. */
@NullMarked
package io.csi4j.ratis;

import org.jspecify.annotations.NullMarked;
