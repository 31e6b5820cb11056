/** Directories and sockets that only the user of this process can reach. For the modules of csi4j; not part of the API. */
@NullMarked
package io.csi4j.core.internal.file;

import org.jspecify.annotations.NullMarked;
