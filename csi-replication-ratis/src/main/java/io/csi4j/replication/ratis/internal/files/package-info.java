/** Checks the files of a log before it starts. */
@NullMarked
package io.csi4j.replication.ratis.internal.files;

import org.jspecify.annotations.NullMarked;
