/** The parts of a running node: the service that servers call, and the calls to servers. Not part of the API. */
@NullMarked
package io.csi4j.agent.internal.node;

import org.jspecify.annotations.NullMarked;
