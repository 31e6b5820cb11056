/** The log as a running process. */
@NullMarked
package io.csi4j.replication.jdbc.internal;

import org.jspecify.annotations.NullMarked;
