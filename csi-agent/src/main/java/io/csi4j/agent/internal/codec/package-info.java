/** The messages of servers and agents: values of csi4j to protobuf and back. Not part of the API. */
@NullMarked
package io.csi4j.agent.internal.codec;

import org.jspecify.annotations.NullMarked;
