/**
 * The client of one CSI plugin: {@link io.csi4j.client.CsiClient}.
 *
 * <p>A client talks to one {@link io.csi4j.client.Endpoint}, usually a Unix socket. It connects at the first call, and reconnects when
 * the plugin has restarted or its socket was replaced. No call blocks, and every call has a deadline ({@link
 * io.csi4j.client.CallDeadlines}). A failed call has a {@link io.csi4j.core.call.CsiCallException}, whose outcome tells the next
 * step.
 *
 * <pre>{@code
 * try (CsiClient client = CsiClient.connect("unix:///run/csi/hostpath.sock")) {
 *     // calls
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.client;

import org.jspecify.annotations.NullMarked;
