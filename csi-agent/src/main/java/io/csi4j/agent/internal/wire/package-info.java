/** Connections between servers and agents: channels, sockets, certificates, and single calls over them. Not part of the API. */
@NullMarked
package io.csi4j.agent.internal.wire;

import org.jspecify.annotations.NullMarked;
