/** Calls from servers to the agents of nodes, directly or through another server. Not part of the API. */
@NullMarked
package io.csi4j.agent.internal.relay;

import org.jspecify.annotations.NullMarked;
