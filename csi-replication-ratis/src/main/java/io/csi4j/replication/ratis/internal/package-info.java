/** Joins the parts of the log. */
@NullMarked
package io.csi4j.replication.ratis.internal;

import org.jspecify.annotations.NullMarked;
