/**
 * Access control for operators and programs, ready to use: policies are text files, and callers present access tokens.
 *
 * <pre>{@code
 * AccessPolicies policies = AccessPolicies.open(Path.of("/etc/csi4j/policies"), environment, AccessControl.off());
 * VolumeLifecycle lifecycle = builder.access(policies).build();
 * FirstToken.create(lifecycle, Path.of("/var/lib/csi4j/first-token")).join();
 *
 * TokenAuthenticator tokens = TokenAuthenticator.of(lifecycle.log().state(), environment.clock());
 * Optional<CallerOperations> caller = tokens.authenticate(secret).map(lifecycle::as);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.admin.access;

import org.jspecify.annotations.NullMarked;
