/**
 * Access tokens of operators and programs: the rows of the state, the requests that make them, and their secrets.
 * {@link io.csi4j.core.lifecycle.AccessTokens} creates, lists and revokes them. The state has the hash of each secret
 * and never the secret itself.
 *
 * <pre>{@code
 * lifecycle.accessTokens()
 *         .create(AccessTokenRequest.of("ada", List.of("team-a")))
 *         .thenAccept(created -> handOver(created.secret()));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.access;

import org.jspecify.annotations.NullMarked;
