package io.csi4j.agent.internal.wire;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Passes on the decisions of a trust manager; a refusal names the certificate that was offered and what is trusted. */
final class ExplainedTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager decides;
    private final String trusted;
    private final Consumer<String> refused;

    /**
     * Creates a manager that decides as another one.
     *
     * @param trusted the certificates that are trusted, for people
     * @param refused gets the explanation of each refusal
     */
    ExplainedTrust(X509ExtendedTrustManager decides, String trusted, Consumer<String> refused) {
        this.decides = decides;
        this.trusted = trusted;
        this.refused = refused;
    }

    private interface Decision {
        void check() throws CertificateException;
    }

    private void explained(X509Certificate[] chain, Decision decision) throws CertificateException {
        try {
            decision.check();
        } catch (UnexpectedPeerException another) {
            refused.accept(another.getMessage());
            throw another;
        } catch (CertificateException untrusted) {
            String offered = chain.length == 0
                    ? "no certificate"
                    : PeerIdentity.subject(chain[0]) + ", issued by " + PeerIdentity.issuer(chain[0]);
            String text = "offered was " + offered + "; expected is one that " + trusted + " vouches for: "
                    + untrusted.getMessage();
            refused.accept(text);
            throw new CertificateException(text, untrusted);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        explained(chain, () -> decides.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        explained(chain, () -> decides.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        explained(chain, () -> decides.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        explained(chain, () -> decides.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        explained(chain, () -> decides.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        explained(chain, () -> decides.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return decides.getAcceptedIssuers();
    }
}
