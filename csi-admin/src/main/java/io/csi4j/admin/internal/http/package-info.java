/** The HTTP server of the administration: connections, limits and streams, on Netty. */
@NullMarked
package io.csi4j.admin.internal.http;

import org.jspecify.annotations.NullMarked;
