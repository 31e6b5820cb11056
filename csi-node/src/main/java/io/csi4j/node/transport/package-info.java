/**
 * The values between servers and nodes as bytes, for a host with a transport of its own. Agents and servers of csi-agent encode these
 * values with the same code.
 *
 * <pre>{@code
 * // On the server.
 * byte[] sent = TransportCodec.DETACH.encode(request);
 * // On the node.
 * NodeDetach received = TransportCodec.DETACH.decode(sent);
 * byte[] answer = TransportCodec.FAILURE.encode(failure);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.node.transport;

import org.jspecify.annotations.NullMarked;
