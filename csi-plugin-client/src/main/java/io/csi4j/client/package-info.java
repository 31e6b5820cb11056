/**
 * The client of one CSI plugin: {@link io.csi4j.client.CsiClient}.
 *
 * <p>A client speaks to one {@link io.csi4j.client.Endpoint}, nearly always a Unix socket. It connects
 * when the first call is made, and again by itself whenever the plugin comes back or its socket is
 * replaced. Nothing blocks; every call has a deadline ({@link io.csi4j.client.CallDeadlines}); what
 * fails, fails with a {@link io.csi4j.core.call.CsiCallException}, whose outcome tells what to do next.
 *
 * <pre>{@code
 * try (CsiClient client = CsiClient.connect("unix:///run/csi/hostpath.sock")) {
 *     // calls
 * }
 * }</pre>
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
